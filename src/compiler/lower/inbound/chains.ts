import type { FilterChainMatchIR } from '../../ir/listener.ts';
import type { EffectiveMtlsMode } from '../../merge/effective.ts';
import { meshAlpn, meshHttpProtocols, meshProtocols, plaintextHttpProtocols } from '../names.ts';

/** One row of the chain matrix. */
export interface ChainShape {
  /** Unique within a port. */
  readonly name: 'mtls-http' | 'plain-http' | 'mtls-tcp' | 'plain-tcp' | 'foreign-tls';
  readonly transportProtocol: FilterChainMatchIR['transportProtocol'];
  readonly applicationProtocols: readonly string[];
  readonly isTerminated: boolean;
  readonly carries: 'http' | 'tcp';
}

export type ListenedClass = 'http' | 'tcp' | 'auto';

/**
 * The filter chains of one port, in no order that matters: their matches do not overlap. Under STRICT only TLS matches,
 * so that Envoy closes a plaintext connection with its bytes unread and the client sees a reset. A port declared HTTP
 * passes no foreign TLS on: that would go past every HTTP rule.
 */
export function chainShapes(mode: EffectiveMtlsMode, listened: ListenedClass): readonly ChainShape[] {
  return matrix[mode][listened];
}

const tls = (name: ChainShape['name'], carries: 'http' | 'tcp', alpn: readonly string[] = []): ChainShape => ({
  name,
  transportProtocol: 'tls',
  applicationProtocols: alpn,
  isTerminated: true,
  carries,
});

const plain = (
  name: ChainShape['name'],
  carries: 'http' | 'tcp',
  transportProtocol: ChainShape['transportProtocol'],
  alpn: readonly string[] = [],
): ChainShape => ({ name, transportProtocol, applicationProtocols: alpn, isTerminated: false, carries });

const foreignTls = plain('foreign-tls', 'tcp', 'tls');

const matrix: Readonly<Record<EffectiveMtlsMode, Readonly<Record<ListenedClass, readonly ChainShape[]>>>> = {
  STRICT: {
    http: [tls('mtls-http', 'http')],
    tcp: [tls('mtls-tcp', 'tcp')],
    auto: [tls('mtls-http', 'http', meshHttpProtocols), tls('mtls-tcp', 'tcp')],
  },
  PERMISSIVE: {
    http: [tls('mtls-http', 'http', meshProtocols), plain('plain-http', 'http', 'raw_buffer')],
    tcp: [tls('mtls-tcp', 'tcp', meshProtocols), foreignTls, plain('plain-tcp', 'tcp', 'raw_buffer')],
    auto: [
      tls('mtls-http', 'http', meshHttpProtocols),
      plain('plain-http', 'http', 'raw_buffer', plaintextHttpProtocols),
      tls('mtls-tcp', 'tcp', [meshAlpn.tcp]),
      plain('plain-tcp', 'tcp', 'raw_buffer'),
      foreignTls,
    ],
  },
  DISABLE: {
    http: [plain('plain-http', 'http', 'raw_buffer')],
    // Without a transport protocol the chain also takes the application's own TLS, inspected or not.
    tcp: [plain('plain-tcp', 'tcp', undefined)],
    auto: [
      plain('plain-http', 'http', 'raw_buffer', plaintextHttpProtocols),
      plain('plain-tcp', 'tcp', 'raw_buffer'),
      plain('foreign-tls', 'tcp', undefined),
    ],
  },
};
