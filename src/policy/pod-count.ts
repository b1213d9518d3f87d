import type { MeshObject } from './object.ts';

/** Fields with which each kind of controller says that it has no pods. */
const fieldsOfNone: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Deployment: { replicas: 0 },
  StatefulSet: { replicas: 0 },
  Job: { suspend: true, parallelism: 0 },
};

/** What of a controller's own text says that it has no pods, such as `replicas: 0`; undefined where it may have some. */
export function saysNoPods({ kind, spec }: MeshObject<string> & { readonly spec?: unknown }): string | undefined {
  const fields = Object.entries(fieldsOfNone[kind] ?? {});
  const found = fields.find(
    ([name, value]) => (spec as Readonly<Record<string, unknown>> | undefined)?.[name] === value,
  );
  return found?.join(': ');
}
