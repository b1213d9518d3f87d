import { isDnsSubdomain } from './names.ts';

const name = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** The key of a label as Kubernetes allows it: `name` or `dns.prefix/name`. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  const last = text.slice(slash + 1);
  return last.length <= 63 && name.test(last) && (slash === -1 || isDnsSubdomain(text.slice(0, slash)));
}

/** The value of a label as Kubernetes allows it; empty is a value. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= 63 && name.test(text));
}

/** Selectors compare whole texts: a wildcard would select nothing. */
export function selectorFault(
  text: string,
  holds: (text: string) => boolean,
): 'wildcard-in-selector' | 'invalid-label' | undefined {
  if (text.includes('*')) return 'wildcard-in-selector';
  return holds(text) ? undefined : 'invalid-label';
}
