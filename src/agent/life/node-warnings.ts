import { type EventEmitter, setMaxListeners } from 'node:events';

/** Warnings of Node itself, in place of the lines that it would write to standard error. */
export interface NodeWarnings {
  /** Has each warning told as one line of text, those of before too. */
  onWarning(listener: (text: string) => void): void;
}

/**
 * Takes the warnings of Node off standard error, where they would stand between lines of the log. Node's count of
 * listeners is switched off: everything that ends with the process waits on one signal, which is no leak.
 */
export function takeNodeWarnings(source: EventEmitter = process): NodeWarnings {
  setMaxListeners(0);
  const untold: string[] = [];
  let tell = (text: string): void => void untold.push(text);
  source.removeAllListeners('warning');
  source.on('warning', ({ name, message }: Error) => tell(`${name}: ${message}`));
  return {
    onWarning(listener) {
      tell = listener;
      for (const text of untold.splice(0)) listener(text);
    },
  };
}
