import { InvalidArgumentError } from 'commander';
import { logComponents } from '../../envoy/log-components.ts';
import { didYouMean } from './values.ts';

/** Levels of Envoy's log. */
export const envoyLogLevels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'] as const;

/** `name:level` pairs with commas, as they are given; which names there are is the running Envoy's to say. */
export function componentLevels(text: string): string {
  for (const entry of entriesOf(text)) {
    const [name, level, ...more] = entry.split(':');
    const isLevel = level === 'warn' || envoyLogLevels.some((known) => known === level);
    if (name && isLevel && more.length === 0) continue;
    throw new InvalidArgumentError(
      `"${entry}" is no name:level (${envoyLogLevels.join(', ')})${didYouMean(level ?? '', envoyLogLevels)}`,
    );
  }
  return text;
}

/**
 * A sentence for each component that Envoy 1.40 does not know. Envoy ends at its start over such a name, with a line that
 * names no flag; a later release may know it.
 */
export function unknownComponents(text: string): readonly string[] {
  return entriesOf(text).flatMap((entry) => {
    const name = entry.split(':')[0] ?? '';
    if (logComponents.includes(name)) return [];
    return `--proxyComponentLogLevel: Envoy 1.40 has no component "${name}"${didYouMean(name, logComponents)}; an Envoy that does not know it ends at its start`;
  });
}

function entriesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}
