import type { MessageTemplate } from '../message.ts';

/** What a code stands for. A code names the fault, and is never renamed or used again once released. */
export interface Entry<K extends readonly string[]> {
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: MessageTemplate<K>;
  /** An imperative sentence; `report` may give a better one for the case at hand. */
  readonly hint?: string;
}

/** An entry whose presence stops the output. */
export function error<const K extends readonly string[]>(message: MessageTemplate<K>, hint?: string): Entry<K> {
  return hint === undefined ? { severity: 'error', message } : { severity: 'error', message, hint };
}

/** An entry that the reader should look at; the output is written. */
export function warning<const K extends readonly string[]>(message: MessageTemplate<K>, hint?: string): Entry<K> {
  return hint === undefined ? { severity: 'warning', message } : { severity: 'warning', message, hint };
}

/** An entry that only tells what was done. */
export function info<const K extends readonly string[]>(message: MessageTemplate<K>): Entry<K> {
  return { severity: 'info', message };
}
