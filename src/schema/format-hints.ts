import { nearest } from '../lib/nearest.ts';
import { isPathTemplate, retryConditions } from './texts.ts';

/** What to write in place of a text that does not have its format, where the text tells what was meant. */
export function formatHint(format: string, text: string, field: string): string | undefined {
  if (format === 'retry-on') return retryHint(text);
  if (format === 'jwks' && /^\s*\{\s*"keys"\s*:\s*\[\s*\]\s*\}\s*$/.test(text)) {
    return 'the set has no key: write the public keys of the issuer into it, or remove "jwks" and give their address in "jwksUri"';
  }
  if (format === 'egress-host') return egressHint(text);
  if (format === 'path-template') return templateHint(text);
  if (format !== 'duration' || !/^0[a-z]*$/.test(text)) return undefined;
  const isOfRequest = field === 'timeout';
  return `leave "${field}" out${isOfRequest ? ': without it, a request has no time limit' : ' for its default'}`;
}

/** Of the first part that is no condition. */
function retryHint(text: string): string | undefined {
  const wrong = text.split(',').find((part) => !retryConditions.includes(part) && !/^[1-5]\d\d$/.test(part));
  if (wrong === undefined) return undefined;
  if (wrong.trim() !== wrong) return `remove the spaces around "${wrong.trim()}"`;
  const meant = nearest(wrong, retryConditions);
  return `"${wrong}" is no retry condition${meant === undefined ? `: write some of ${retryConditions.join(', ')}` : `: did you mean "${meant}"?`}`;
}

/** A full name of a service has its namespace in itself. */
function egressHint(text: string): string | undefined {
  const [, namespace] = /^[a-z0-9-]+\.([a-z0-9-]+)\.svc\.[a-z0-9.-]+$/.exec(text) ?? [];
  return namespace && `write "${namespace}/${text}"`;
}

/** Paths of API descriptions have names in their braces, or a colon before them. */
function templateHint(text: string): string | undefined {
  const template = text.replaceAll(/(?<=\/)(?:\{[\w.-]+\}|:[\w-]+)(?=\/|$)/g, '{*}');
  if (template === text || !isPathTemplate(template)) return undefined;
  return `write "${template}": {*} stands for one segment, and has no name`;
}
