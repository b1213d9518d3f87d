import type { Environment } from '../../config/environment.ts';
import { type ParsedVariable, parseInteger } from '../../config/variable.ts';
import { variables } from '../../config/variables.ts';
import { UsageError } from '../../lib/usage-error.ts';

/** The value of one variable, or of its default; `UsageError` for what cannot be read: these decide who gets a certificate. */
export function variable<T>(environment: Environment, name: string, parse: (text: string) => ParsedVariable<T>): T {
  const text = environment[name] || (variables.find((known) => known.name === name)?.default ?? '');
  const parsed = parse(text);
  if (!parsed.ok) throw new UsageError(`${name} is ${parsed.expected}, not "${text}"`);
  return parsed.value;
}

/** A whole number from 1 to the largest of 32 bits with a sign. */
export function parsePositive(text: string): ParsedVariable<number> {
  const parsed = parseInteger(text);
  return parsed.ok && parsed.value > 0 && parsed.value < 2 ** 31
    ? parsed
    : { ok: false, expected: 'a whole number from 1 to 2147483647' };
}

/** A decimal number above 0. */
export function parsePositiveNumber(text: string): ParsedVariable<number> {
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  return value > 0 ? { ok: true, value } : { ok: false, expected: 'a number above 0' };
}

/**
 * Namespace that the control plane runs in; `MESH_NAMESPACE` is the agent's name of it. `UsageError` where both differ, or where
 * Kubernetes would not accept the name.
 */
export function namespaceOf({ NAMESPACE: own = '', MESH_NAMESPACE: mesh = '' }: Environment): string {
  if (own !== '' && mesh !== '' && own !== mesh)
    throw new UsageError(
      `NAMESPACE is "${own}", and MESH_NAMESPACE "${mesh}": both name the namespace of the control plane`,
    );
  const namespace = own || mesh || 'mesh-system';
  if (!isNamespaceName(namespace))
    throw new UsageError(
      `${own === '' ? 'MESH_NAMESPACE' : 'NAMESPACE'} is "${namespace}", expected the name of a namespace`,
    );
  return namespace;
}

/** A name that Kubernetes lets a namespace have. */
export function isNamespaceName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}
