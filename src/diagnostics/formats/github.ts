import type { PlacedDiagnostic } from '../placed.ts';
import { visible } from './visible.ts';

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands, one a line, which GitHub shows beside the changed lines of a pull request. */
export function formatGithub(diagnostics: readonly PlacedDiagnostic[]): string {
  return diagnostics
    .map(({ code, severity, message, place, hint }) => {
      const properties = [
        ...(place === undefined
          ? []
          : [
              `file=${property(place.file)}`,
              `line=${place.start.line}`,
              `col=${place.start.column}`,
              `endLine=${place.end.line}`,
              `endColumn=${place.end.column}`,
            ]),
        `title=${property(code)}`,
      ];
      const text = hint === undefined ? message : `${message}\nhint: ${hint}`;
      return `::${commands[severity]} ${properties.join(',')}::${escaped(text)}\n`;
    })
    .join('');
}

function escaped(text: string): string {
  const lines = text.split(/(\r?\n)/).map((part, i) => (i % 2 === 0 ? visible(part) : part));
  return lines.join('').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
