import { type ReferenceGrant, standardGroup } from '../../policy/gateway-api.ts';

/** An object that is referred to from another namespace. */
export interface Reference {
  readonly fromKind: string;
  readonly fromNamespace: string;
  readonly toKind: 'Service' | 'Secret';
  readonly toNamespace: string;
  readonly name: string;
}

/** Whether the namespace of an object lets objects of another one refer to it. Within one namespace nobody is asked. */
export function isGranted(
  { fromKind, fromNamespace, toKind, toNamespace, name }: Reference,
  grants: readonly ReferenceGrant[],
): boolean {
  if (fromNamespace === toNamespace) return true;
  return grants.some(
    ({ namespace, spec: { from, to } }) =>
      namespace === toNamespace &&
      from.some((it) => it.group === standardGroup && it.kind === fromKind && it.namespace === fromNamespace) &&
      to.some((it) => it.group === '' && it.kind === toKind && (it.name ?? name) === name),
  );
}
