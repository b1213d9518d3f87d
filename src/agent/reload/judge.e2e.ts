import { describe, expect, test } from 'vitest';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { ResourceFile } from '../../envoy/api/resource-file.ts';
import { validateConfig } from '../../envoy/validate.ts';
import { goldenProxies } from '../../testing/golden/read.ts';
import { envoyBinary } from '../testing/agent-bench.ts';
import { judge } from './judge.ts';

/** The first proxy of a golden case. */
function filesOf(name: string): ProxyFiles {
  const [proxy] = goldenProxies(name);
  if (proxy === undefined) throw new Error(`${name} has no proxy`);
  return proxy.files;
}

const validate = (config: object): ReturnType<typeof validateConfig> => validateConfig(envoyBinary(), config);

describe('judge, with the real Envoy', () => {
  const asChange = (name: string): readonly [before: ProxyFiles, next: ProxyFiles] => {
    const next = filesOf(name);
    return [{ ...next, listeners: new ResourceFile(), routes: new Map() }, next];
  };

  /** A part of a configuration must hold all that the part needs. */
  test.each(['authz-custom-http', 'authz-custom-grpc-on-connections', 'gateway-http', 'jwt-at-a-gateway'])(
    'accepts the listeners and routes of %s as a change, without its other clusters',
    async (name) => {
      expect(await judge(...asChange(name), validate)).toBe(undefined);
    },
  );

  test('names the policy of a file that Envoy cannot read, and the line', async () => {
    const refusal = await judge(...asChange('gateway-mutual'), validate);
    expect(refusal?.message).toBe('Invalid path: /etc/certs/ca.pem');
    expect(refusal?.suspects).toContainEqual(expect.objectContaining({ kind: 'Gateway', file: 'policy.yaml' }));
  });
});
