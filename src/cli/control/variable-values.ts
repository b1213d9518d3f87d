import type { Environment } from '../../config/environment.ts';
import { type ParsedVariable, parseBoolean, parseInteger } from '../../config/variable.ts';
import { variables } from '../../config/variables.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { serveVariables } from './variables.ts';

const supported: ReadonlySet<string> = new Set(serveVariables.map(({ name }) => name));

/** A variable of a control plane that is set and would have no effect is refused by name (`UsageError`). */
export function refuseUnsupported(environment: Environment): void {
  const names = variables
    .filter(({ name, owner }) => owner === 'control-plane' && !supported.has(name))
    .filter(({ name, type, default: usual }) => {
      const text = environment[name] ?? '';
      return text !== '' && text !== usual && !(type === 'boolean' && isSameBoolean(text, usual));
    })
    .map(({ name }) => name)
    .sort();
  if (names.length > 0) throw new UsageError(`not supported yet: ${names.join(', ')}`);
}

function isSameBoolean(text: string, usual: string): boolean {
  const [a, b] = [parseBoolean(text), parseBoolean(usual)];
  return a.ok && b.ok && a.value === b.value;
}

/** The value of one variable, or of its default; `UsageError` for what cannot be read: these decide who gets a certificate. */
export function variable<T>(environment: Environment, name: string, parse: (text: string) => ParsedVariable<T>): T {
  const text = environment[name] || (variables.find((known) => known.name === name)?.default ?? '');
  const parsed = parse(text);
  if (!parsed.ok) throw new UsageError(`${name} is ${parsed.expected}, not "${text}"`);
  return parsed.value;
}

/** A whole number from 1 on, below 2^31. */
export function parsePositive(text: string): ParsedVariable<number> {
  const parsed = parseInteger(text);
  return parsed.ok && parsed.value > 0 && parsed.value < 2 ** 31
    ? parsed
    : { ok: false, expected: 'a whole number from 1 on' };
}

/** A decimal number above 0. */
export function parsePositiveNumber(text: string): ParsedVariable<number> {
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  return value > 0 ? { ok: true, value } : { ok: false, expected: 'a number above 0' };
}

/** Namespace that the control plane runs in; `MESH_NAMESPACE` is the agent's name of it. `UsageError` where both differ. */
export function namespaceOf({ NAMESPACE: own = '', MESH_NAMESPACE: mesh = '' }: Environment): string {
  if (own !== '' && mesh !== '' && own !== mesh)
    throw new UsageError(
      `NAMESPACE is "${own}", and MESH_NAMESPACE "${mesh}": both name the namespace of the control plane`,
    );
  return own || mesh || 'mesh-system';
}
