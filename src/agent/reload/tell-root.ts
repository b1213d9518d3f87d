import type { CompileProxy } from '../../contracts/compile-result.ts';
import type { Log } from '../log/log.ts';

/** The same function; once what it compiled is in force, the log says which root namespace holds and why, once each. */
export function tellRootNamespace(compile: CompileProxy, log: Pick<Log, 'info'>): CompileProxy {
  let told = '';
  return async (replaced) => {
    const result = await compile(replaced);
    if (!('files' in result) || result.rootNamespace === undefined) return result;
    const { name, isDecided, why } = result.rootNamespace;
    const key = `${name} ${isDecided}`;
    const accept = (): void => {
      if (key !== told) log.info('root namespace', { name, why, decided: isDecided });
      told = key;
      result.accept?.();
    };
    return { ...result, accept };
  };
}
