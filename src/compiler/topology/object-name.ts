/** `namespace/name`, or the name alone for cluster-scoped kinds: how diagnostics name an object. */
export function nameOf(object: { readonly namespace: string; readonly name: string }): string {
  return object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
}
