import type { Blanks } from '../access/evaluate/blanks.ts';
import { RequestView } from '../access/evaluate/request-view.ts';
import { type AccessRule, type Condition, headersRead } from '../access/lift/rbac.ts';
import { AddressBlock } from '../access/model/address-block.ts';
import { HeaderLines } from '../access/model/header-lines.ts';
import type { StringMatch } from '../access/model/string-match.ts';
import type { ClientTls } from '../access/request.ts';
import { Fragment } from '../envoy/api/fragment.ts';

const at = new Fragment({});

/** A test of the path. */
export function pathIs(match: StringMatch): Condition {
  return { kind: 'path', at, match };
}

/** A test of one of the addresses of a connection: that it is in the block. */
export function addressIn(kind: 'direct-remote-ip' | 'remote-ip' | 'destination-ip', text: string): Condition {
  const [prefix = '', length] = text.split('/');
  return { kind, at, block: new AddressBlock(prefix, Number(length)) };
}

/** A test of a header, or that it is there. */
export function headerIs(
  name: string,
  match: StringMatch | 'present',
  isInverted = false,
  takesAbsentAsEmpty = false,
): Condition {
  return { kind: 'header', at, header: { name, match, isInverted, takesAbsentAsEmpty } };
}

/** A rule named after its place among others; `gap`: where it says what is not understood. */
export function ruleOf(condition: Condition, place = 0, gap?: string): AccessRule {
  return { name: `rule-${place}`, condition, at, readsHeaders: headersRead(condition), gap };
}

/** What a proxy sees of a request. */
export interface SeenRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly source: string;
  readonly remote: string;
  readonly port: number;
  readonly tls: ClientTls | undefined;
  readonly opaque: readonly string[];
  /** Headers whose lines are known; absent: all are. */
  readonly told?: readonly string[] | undefined;
}

const plain: SeenRequest = {
  ...{ path: '/', method: 'GET', headers: [], source: '10.0.0.1', remote: '10.0.0.1', port: 80, tls: undefined },
  opaque: [],
};

/** A view of a request to 10.0.0.9, by default `GET /` of 10.0.0.1 in plaintext. */
export function viewOf(sent: Partial<SeenRequest>, blanks?: Blanks): RequestView {
  const { path, method, headers, source, remote, port, tls, opaque, told } = { ...plain, ...sent };
  const view = new RequestView(
    { source, destination: { address: '10.0.0.9', port }, tls, protocol: 'http/1.1' },
    { method, path, authority: 'web' },
    new HeaderLines(headers, told),
    remote,
    blanks,
  );
  for (const name of opaque) view.setOpaque(name);
  if (blanks !== undefined) view.knowsRemote = blanks.peer.is !== 'direct';
  return view;
}
