/**
 * The Gateway that a VirtualService of `namespace` means: `<namespace>/<name>`, or `mesh`. A name alone and `./name` are of
 * the object's own namespace; `name.namespace.svc…` is the older form.
 */
export function gatewayName(reference: string, namespace: string): string {
  if (reference.startsWith('./')) return `${namespace}/${reference.slice(2)}`;
  if (reference === 'mesh' || reference.includes('/')) return reference;
  const [name = '', owner, kind] = reference.split('.');
  return kind === 'svc' && owner !== undefined ? `${owner}/${name}` : `${namespace}/${reference}`;
}

/** The gateways that an object is bound to; without any it is for the sidecars. */
export function boundGateways(gateways: readonly string[] | undefined, namespace: string): readonly string[] {
  if (gateways === undefined || gateways.length === 0) return ['mesh'];
  return gateways.map((reference) => gatewayName(reference, namespace));
}
