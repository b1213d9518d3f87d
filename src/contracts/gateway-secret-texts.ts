/** What a gateway's server asks for by one SDS name. Never log it: it may hold a private key. */
export type GatewaySecretTexts =
  | { readonly kind: 'pair'; readonly certificateChain: string; readonly privateKey: string }
  | { readonly kind: 'authorities'; readonly certificates: string; readonly revocationList: string | undefined };
