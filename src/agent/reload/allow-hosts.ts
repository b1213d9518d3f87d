import type { CompileProxy } from '../../contracts/compile-result.ts';

/** The same function; once what it compiled is in force, keys may be fetched from the hosts that it names and no others. */
export function allowHosts(
  compile: CompileProxy,
  keySets: { readonly allow: (hosts: readonly string[]) => void },
): CompileProxy {
  return async (replaced) => {
    const result = await compile(replaced);
    if (!('files' in result)) return result;
    const accept = (): void => {
      if (result.jwksAllowedHosts !== undefined) keySets.allow(result.jwksAllowedHosts);
      result.accept?.();
    };
    return { ...result, accept };
  };
}
