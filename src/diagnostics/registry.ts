import { compilerCodes } from './catalogue/compiler.ts';
import { configCodes } from './catalogue/config.ts';
import { policyCodes } from './catalogue/policy.ts';
import { sourceCodes } from './catalogue/source.ts';
import { topologyCodes } from './catalogue/topology.ts';
import { verifyCodes } from './catalogue/verify.ts';
import type { MessageTemplate } from './message.ts';

export type Severity = 'error' | 'warning' | 'info';

/** What a code stands for. A code names the fault, and is never renamed or used again once released. */
export interface CodeEntry<K extends readonly string[]> {
  readonly severity: Severity;
  readonly message: MessageTemplate<K>;
  /** An imperative sentence; `report` may give a better one for the case at hand. */
  readonly hint?: string;
}

/** Every code of the product. */
export const registry = {
  ...sourceCodes,
  ...policyCodes,
  ...topologyCodes,
  ...configCodes,
  ...compilerCodes,
  ...verifyCodes,
};

export type DiagnosticCode = keyof typeof registry;

/** The holes that a code's message wants. */
export type HolesOf<C extends DiagnosticCode> = Parameters<(typeof registry)[C]['message']>[0];
