import { parse } from 'yaml';
import type { OutputFormat } from './format.ts';

/**
 * Texts of the resources by name of a file that an earlier run wrote; undefined for what is no list of resources, because
 * somebody else has changed it.
 */
export function readResponse(text: string, format: OutputFormat): ReadonlyMap<string, string> | undefined {
  const response = parsed(text, format);
  const resources = isObject(response) ? response.resources : undefined;
  if (!Array.isArray(resources)) return undefined;
  const byName = new Map<string, string>();
  for (const resource of resources) {
    if (!isObject(resource) || typeof resource.name !== 'string') return undefined;
    byName.set(resource.name, JSON.stringify(resource));
  }
  return byName;
}

function parsed(text: string, format: OutputFormat): unknown {
  try {
    return format === 'json' ? JSON.parse(text) : parse(text, { maxAliasCount: 0 });
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
