import { describe, expect, test } from 'vitest';
import { encodeCertificateRequest } from '../../identity/ca-protocol.ts';
import { ControlMetrics } from '../server/metrics.ts';
import { createTestAuthority } from '../testing/authorities.ts';
import { createTestRequest } from '../testing/signing-requests.ts';
import { CertificateAuthority } from './authority.ts';
import { createCertificateService } from './certificate-service.ts';
import { CallerLimits } from './rate-limit.ts';
import { createSigner } from './signer.ts';

describe('createCertificateService', () => {
  test('yields to the event loop between simultaneous requests, and keeps their order', async () => {
    const { certificate, privateKey } = await createTestAuthority();
    const { signer } = createSigner({ certificate, privateKey, chain: '', roots: certificate }, Date.now());
    const nothing = (): void => undefined;
    const admit = createCertificateService({
      authority: new CertificateAuthority(signer!, Date.now),
      authenticate: async () => ({ caller: { namespace: 'foo', serviceAccount: 'httpbin', by: 'token' } }),
      limits: new CallerLimits({ requestsPerSecond: 100, burst: 100 }, Date.now),
      trustDomain: 'cluster.local',
      metrics: new ControlMetrics('test').authority,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    });
    const { csr } = await createTestRequest();
    const bytes = encodeCertificateRequest({ csr, validitySeconds: 0n, metadata: new Map() });
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const admitted = await Promise.all(
      Array.from({ length: 20 }, () =>
        admit({ peer: '127.0.0.1:1', certificate: undefined, authorization: [], clusterIds: [] }),
      ),
    );
    const answered: { readonly request: number; readonly turn: number }[] = [];
    await Promise.all(
      admitted.map((request, i) => request.answer(bytes).then(() => answered.push({ request: i, turn: turns }))),
    );
    clearImmediate(timer);
    expect(answered.map(({ request }) => request)).toEqual(admitted.map((_, i) => i));
    expect(new Set(answered.map(({ turn }) => turn)).size).toBe(3);
  });
});
