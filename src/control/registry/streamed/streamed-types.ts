/** An object's kind, by the name of its type on the stream: group, version and kind, as Istio's control plane names them. */
export interface StreamedType {
  readonly typeUrl: string;
  readonly apiVersion: string;
  readonly kind: string;
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  'networking.istio.io/v1alpha3': [
    ...['DestinationRule', 'Gateway', 'ServiceEntry', 'Sidecar', 'VirtualService', 'WorkloadEntry', 'WorkloadGroup'],
  ],
  'networking.istio.io/v1beta1': ['ProxyConfig'],
  'security.istio.io/v1beta1': ['AuthorizationPolicy', 'PeerAuthentication', 'RequestAuthentication'],
};

/** What is asked for; nothing else is taken. */
export const streamedTypes: readonly StreamedType[] = Object.entries(kinds).flatMap(([apiVersion, names]) =>
  names.map((kind) => ({ typeUrl: `${apiVersion}/${kind}`, apiVersion, kind })),
);
