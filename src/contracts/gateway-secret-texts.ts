/** Envoy's names of a gateway's secrets begin with it; the name of a Secret follows. */
export const gatewayScheme = 'kubernetes://';

/** At the end of the name under which a server asks for the authorities of its clients. */
export const authoritiesSuffix = '-cacert';

/** What a gateway's server asks for by one SDS name. Never log it: it may hold a private key. */
export type GatewaySecretTexts =
  | { readonly kind: 'pair'; readonly certificateChain: string; readonly privateKey: string }
  | { readonly kind: 'authorities'; readonly certificates: string; readonly revocationList: string | undefined }
  /** There are no authorities of clients. Envoy keeps those that it had, unless it is given others, whose clients there are none of. */
  | { readonly kind: 'nobody' };
