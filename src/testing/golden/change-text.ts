import type { Change } from './changes.ts';
import { isObject, readSteps } from './members.ts';

/** Of a line of JSON, its mark not counted. */
const width = 160;

/**
 * Changes as `changes.diff` shows them: a line for each place, then the lines that go (`-`) and come (`+`) there. Places
 * where the same happens share these lines.
 */
export function formatChanges(changes: readonly Change[]): string {
  const places = new Map<string, string[]>();
  for (const change of changes) {
    const lines = changedLines(change);
    const same = places.get(lines);
    if (same === undefined) places.set(lines, [place(change)]);
    else same.push(place(change));
  }
  return [...places].map(([lines, heads]) => `${heads.join('\n')}\n${lines}`).join('');
}

function place(change: Change): string {
  const what =
    change.kind === 'added' ? `added ${change.after === undefined ? 'first' : `after ${change.after}`}` : change.kind;
  return `@@ ${change.path.join('')}: ${what}`;
}

function changedLines(change: Change): string {
  if (change.kind === 'removed') return '';
  const old = 'old' in change ? marked('-', change.old) : '';
  return `${old}${marked('+', change.value)}`;
}

function marked(mark: string, value: unknown): string {
  return `${json(value, '').replace(/^/gm, mark)}\n`;
}

/** JSON of which what fits into a line stands in one. */
function json(value: unknown, indent: string): string {
  const line = jsonLine(value);
  const inner = `${indent}  `;
  if (indent.length + line.length <= width) return line;
  if (Array.isArray(value)) return `[\n${value.map((element) => inner + json(element, inner)).join(',\n')}\n${indent}]`;
  if (!isObject(value)) return line;
  const fields = Object.entries(value).map(([name, field]) => `${inner}${JSON.stringify(name)}: ${json(field, inner)}`);
  return `{\n${fields.join(',\n')}\n${indent}}`;
}

function jsonLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${jsonLine(field)}`);
  return `{${fields.join(', ')}}`;
}

/** Reads what `formatChanges` wrote. Throws on anything else. */
export function parseChanges(text: string): readonly Change[] {
  const changes: Change[] = [];
  let read = 0;
  for (const [block, places = '', old = '', value = ''] of text.matchAll(
    /((?:^@@ .*\n)+)((?:^-.*\n)*)((?:^\+.*\n)*)/gm,
  )) {
    for (const line of places.trimEnd().split('\n')) changes.push(parsePlace(line, old, value));
    read += block.length;
  }
  if (read !== text.length) throw new Error(`not a text of changes: ${text}`);
  return changes;
}

function parsePlace(line: string, old: string, value: string): Change {
  const { path, rest } = readSteps(line.slice('@@ '.length));
  if (rest === ': removed') return { kind: 'removed', path };
  if (rest === ': changed')
    return { kind: 'changed', path, ...(old !== '' && { old: unmarked(old) }), value: unmarked(value) };
  const { path: after, rest: end } = readSteps(rest.replace(/^: added (first$|after )/, ''));
  if (!rest.startsWith(': added ') || end !== '' || after.length > 1)
    throw new Error(`not a place of a change: ${line}`);
  return { kind: 'added', path, after: after[0], value: unmarked(value) };
}

function unmarked(lines: string): unknown {
  return JSON.parse(lines.replace(/^[-+]/gm, ''));
}
