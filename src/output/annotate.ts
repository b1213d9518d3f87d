import { fragmentJson, type Locate } from '../compiler/render/origins-json.ts';
import type { FragmentOrigin, Resource } from '../compiler/render/resource.ts';
import { parsePath } from '../diagnostics/json-path.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Puts origins into resources: `metadata.filter_metadata["mesh.origin"]` of a listener, each of its filter chains, a
 * route configuration or a cluster (envoy.config.core.v3.Metadata). A chain carries what was decided inside it.
 */
export function annotator(locate: Locate): (resource: Resource) => Resource {
  const annotated = new WeakMap<Resource, Resource>();
  return (resource) => {
    if (resource.type === 'bootstrap' || resource.origins.length === 0) return resource;
    let result = annotated.get(resource);
    if (result === undefined) {
      const json = annotate(resource, locate);
      result = { ...resource, json, text: JSON.stringify(json, null, 2) };
      annotated.set(resource, result);
    }
    return result;
  };
}

function annotate(resource: Resource, locate: Locate): Json {
  const byChain = new Map<number | undefined, FragmentOrigin[]>();
  for (const origin of resource.origins) {
    const [first, index] = parsePath(origin.path);
    const chain = first === 'filter_chains' && typeof index === 'number' ? index : undefined;
    byChain.set(chain, [...(byChain.get(chain) ?? []), origin]);
  }
  const own = withMetadata(resource.json, byChain.get(undefined), locate);
  const chains = own.filter_chains;
  if (!Array.isArray(chains)) return own;
  const marked = chains.map((chain: Json, index) => withMetadata(chain, byChain.get(index), locate));
  return { ...own, filter_chains: marked };
}

/** The origins are in the same form as in `origins.json`. */
function withMetadata(json: Json, origins: readonly FragmentOrigin[] | undefined, locate: Locate): Json {
  if (origins === undefined) return json;
  const metadata = (json.metadata ?? {}) as Json;
  const filterMetadata = (metadata.filter_metadata ?? {}) as Json;
  const entry = { origins: origins.map((origin) => fragmentJson(origin, locate)) };
  return { ...json, metadata: { ...metadata, filter_metadata: { ...filterMetadata, 'mesh.origin': entry } } };
}
