import type { ProxyFiles } from '../../agent/reload/proxy-files.ts';
import type { Compilation } from '../../compiler/compilation.ts';
import type { SourceFile } from '../../compiler/source/document.ts';
import { envoyFiles, filesBeside, type PlanMemory } from '../../output/plan.ts';

const routesFolder = 'routes/';

/**
 * The same files as `meshpol compile -o` writes for the one proxy, without its folder in their names. What Envoy does not
 * read is put together after Envoy has the rest, and not kept: in a big mesh it is a quarter of all.
 */
export function proxyFilesOf(compilation: Compilation, texts: readonly SourceFile[], memory: PlanMemory): ProxyFiles {
  const config = compilation.configs[0];
  if (config === undefined) throw new Error('a compilation without errors has the selected workload');
  const files = new Map([...envoyFiles(config, memory)].map(({ path, text }) => [path, text]));
  const take = (name: string): string => files.get(name) ?? '';
  const routes = [...files].filter(([name]) => name.startsWith(routesFolder));
  const beside = filesBeside(compilation, config, texts);
  return {
    bootstrap: take('bootstrap.json'),
    clusters: take('clusters.json'),
    listeners: take('listeners.json'),
    routes: new Map(routes.map(([name, text]) => [name.slice(routesFolder.length), text])),
    beside: { keys: () => beside.keys(), get: (name) => beside.get(name)?.() },
  };
}
