import { expect, test } from 'vitest';
import { ControlMetrics } from './metrics.ts';

test('a refused secret is counted as a failed secret, and as a refusal of its type', async () => {
  const metrics = new ControlMetrics('1');
  metrics.countReject('type.googleapis.com/envoy.config.cluster.v3.Cluster');
  metrics.countReject('type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret');
  const text = await metrics.text();
  expect(text).toMatch(/^total_secret_update_failures 1$/m);
  expect(text).toMatch(/^meshd_xds_rejects_count\{type="Secret"\} 1$/m);
});
