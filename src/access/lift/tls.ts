import { StringMatch } from '../model/string-match.ts';
import { liftStringMatch } from './matchers.ts';
import type { Message } from './message.ts';

/** `other`: an authority that is not the mesh's own. */
export type Root = 'mesh' | 'other';

/** Whose certificates a proxy accepts from the other end of a connection. */
export interface Peer {
  /** Undefined: it checks none. */
  readonly root: Root | undefined;
  /** One URI SAN must be one of these; empty: any that the root has signed. */
  readonly identities: readonly StringMatch[];
}

const tls = 'envoy.extensions.transport_sockets.tls.v3';

/** Name of the secret with the mesh's roots. */
const meshRoot = 'ROOTCA';

/** Of Envoy's `CommonTlsContext`. */
export function liftPeer(common: Message): Peer {
  if (common.has('validation_context')) {
    return liftContext(common.message('validation_context', `${tls}.CertificateValidationContext`), 'other');
  }
  if (!common.has('combined_validation_context')) return { root: undefined, identities: [] };
  const combined = common.message(
    'combined_validation_context',
    `${tls}.CommonTlsContext.CombinedCertificateValidationContext`,
  );
  const secret = combined.message('validation_context_sds_secret_config', `${tls}.SdsSecretConfig`).text('name');
  const context = combined.message('default_validation_context', `${tls}.CertificateValidationContext`);
  return liftContext(context, secret === meshRoot ? 'mesh' : 'other');
}

function liftContext(context: Message, root: Root): Peer {
  const names = context.messages('match_typed_subject_alt_names', `${tls}.SubjectAltNameMatcher`).map((san) => ({
    type: san.text('san_type'),
    match: liftStringMatch(san.message('matcher', 'envoy.type.matcher.v3.StringMatcher')),
  }));
  if (root === 'other') return { root, identities: [] };
  for (const pin of ['verify_certificate_spki', 'verify_certificate_hash']) if (context.has(pin)) context.refuse(pin);
  // Certificates of the mesh have a URI alone: a name of another type is never there.
  const identities = names.map(({ type, match }) => (type === 'URI' ? match : new StringMatch('exact', '')));
  return { root, identities };
}
