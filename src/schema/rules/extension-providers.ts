import type { JsonObject } from '../../source/document.ts';
import type { Report } from '../rule.ts';

/** Policies name a provider: two of one name, or one of two protocols, would leave open who is asked. */
export function checkExtensionProviders({ extensionProviders }: JsonObject, report: Report): void {
  const seen = new Set<string>();
  for (const [i, provider] of ((extensionProviders ?? []) as readonly JsonObject[]).entries()) {
    const name = String(provider.name);
    if (seen.has(name)) report('duplicate-provider', ['extensionProviders', i, 'name'], { name });
    seen.add(name);
    if (provider.envoyExtAuthzHttp === undefined || provider.envoyExtAuthzGrpc === undefined) continue;
    const holes = { fields: '"envoyExtAuthzHttp" and "envoyExtAuthzGrpc"', where: 'a provider' };
    report('conflicting-fields', ['extensionProviders', i, 'envoyExtAuthzGrpc'], holes, { part: 'key' });
  }
}
