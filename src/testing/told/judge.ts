import type { GaugeAnswer } from '../../gauge/gauge-case.ts';
import type { Claim } from './claims.ts';
import { type NamedRule, namedRule } from './without.ts';

/** Whether Envoy's answers before and after say that a claim holds. */
export function verdictOn(
  { kind, rule, id }: Pick<Claim, 'kind' | 'rule' | 'id'>,
  of: 'deleted' | 'changed',
  was: GaugeAnswer,
  is: GaugeAnswer,
): boolean {
  if (of === 'changed') return passes(is);
  if (kind === 'met') return reasonOf(was) !== reasonOf(is, rule);
  const isDenied = is.details.startsWith('rbac_access_denied');
  return kind === 'nearly' ? is.details.includes(id) : !isDenied || !is.details.includes('[none]');
}

/** Verdict and reason of an answer; where a rule was taken away, the later ones have the numbers that they had before. */
export function reasonOf({ status, grpcStatus, ending, details, rule = '' }: GaugeAnswer, taken?: NamedRule): string {
  const asBefore = (text: string): string =>
    text.replaceAll(/ns\[[^\]]+\]-policy\[[^\]]+\]-rule\[\d+\]/g, (id) => numbered(id, taken));
  return [status, grpcStatus ?? '', ending ?? '', asBefore(details), asBefore(rule)].join(' ');
}

function numbered(id: string, taken: NamedRule | undefined): string {
  const { namespace = '', name = '', index = 0 } = namedRule(id) ?? {};
  const isLater = namespace === taken?.namespace && name === taken.name && index >= taken.index;
  return isLater ? id.replace(/\d+\]$/, `${index + 1}]`) : id;
}

/** Whether a request has come past the access rules. */
function passes({ status, details, ending = '', cluster }: GaugeAnswer): boolean {
  // The application does not understand the client's TLS, which the proxy has passed on, and answers in plain text.
  const isForeign = ending === 'EPROTO' || ending === 'ERR_SSL_WRONG_VERSION_NUMBER';
  const isAnswered = ending === 'bytes' || (isForeign && details === '' && cluster !== '');
  if (status === 0) return isAnswered;
  return !/^(rbac|jwt_authn|http1\.|http2\.|path_normalization|absolute_path)/.test(details);
}
