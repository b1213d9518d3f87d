import type { Compilation } from '../compiler/compilation.ts';
import { routeFileName } from '../compiler/render/config-source.ts';
import type { ProxyFiles } from '../contracts/proxy-files.ts';
import { discoveryResponse } from '../output/discovery-response.ts';
import { filesBeside } from '../output/plan.ts';
import type { SourceFile } from '../source/document.ts';

/**
 * The same files as `meshpol compile -o` writes for the one proxy, without its folder in their names. What Envoy does not
 * read is put together after Envoy has the rest, and not kept: in a big mesh it is a quarter of all.
 */
export function proxyFilesOf(compilation: Compilation, texts: readonly SourceFile[]): ProxyFiles {
  const config = compilation.configs[0];
  if (config === undefined) throw new Error('a compilation without errors has the selected workload');
  const beside = filesBeside(compilation, config, texts);
  return {
    bootstrap: config.bootstrap.json,
    ...(config.concurrency === undefined ? {} : { concurrency: config.concurrency }),
    clusters: discoveryResponse(config.clusters),
    listeners: discoveryResponse(config.listeners),
    routes: new Map(config.routes.map((route) => [routeFileName(route.name), discoveryResponse([route])])),
    beside: { keys: () => beside.keys(), get: (name) => beside.get(name)?.() },
  };
}
