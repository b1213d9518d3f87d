import { liftProxy } from '../access/lift-proxy.ts';
import { keyOf, type World } from '../access/world.ts';
import type { Compilation } from '../compiler/compilation.ts';
import { createLocator, originsJson } from '../compiler/render/origins-json.ts';
import { noOrigins, type OriginsFile } from '../contracts/origins-file.ts';
import type { SourceFile } from '../source/document.ts';

type Json = Readonly<Record<string, unknown>>;

/** A compiled mesh as predictions read it. */
export function worldOf({ configs, mesh }: Pick<Compilation, 'configs' | 'mesh'>): World {
  const json = (all: readonly { readonly json: Json }[]): readonly Json[] => all.map((one) => one.json);
  const proxies = configs.map(({ namespace, workload, listeners, routes, clusters }) => {
    const lifted = liftProxy({ listeners: json(listeners), routes: json(routes), clusters: json(clusters) });
    return [keyOf({ namespace, name: workload }), lifted] as const;
  });
  return { mesh, proxies: new Map(proxies) };
}

/** Origins by workload (`namespace/name`); put together once for each that is asked for. `files` are the inputs. */
export function originsIn(
  { configs }: Pick<Compilation, 'configs'>,
  files: readonly SourceFile[],
): (workload: string) => OriginsFile {
  const byWorkload = new Map(configs.map((config) => [keyOf({ ...config, name: config.workload }), config]));
  const locate = createLocator(files);
  const known = new Map<string, OriginsFile>();
  return (workload) => {
    const config = byWorkload.get(workload);
    const origins = known.get(workload) ?? (config && originsJson(config, locate));
    if (origins !== undefined) known.set(workload, origins);
    return origins ?? noOrigins;
  };
}
