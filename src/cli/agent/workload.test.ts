import { describe, expect, test } from 'vitest';
import { ResourceFile } from '../../envoy/api/resource-file.ts';
import { withNodeId } from '../../live/node-id.ts';
import { identifyProxy } from './workload.ts';

describe('identifyProxy', () => {
  const flags = { id: '', ip: '', domain: '' };
  const pod = { POD_NAME: 'p', POD_NAMESPACE: 'n', INSTANCE_IP: '10.0.0.1' };

  test('takes the pod, and lets flags win', () => {
    expect(identifyProxy(flags, pod)).toMatchObject({ workload: { name: 'p', namespace: 'n' }, ip: '10.0.0.1' });
    expect(identifyProxy({ id: 'a.b.c', ip: '::1', domain: 'd' }, pod)).toMatchObject({
      workload: { name: 'a.b', namespace: 'c' },
      ip: '::1',
      domain: 'd',
    });
  });

  test('takes an INSTANCE_IP that is none for absent', () => {
    expect(identifyProxy(flags, { ...pod, INSTANCE_IP: 'x' }).ip).toBeUndefined();
  });

  test.each([
    [{ ...flags, id: 'alone' }, /NAME.NAMESPACE/],
    [{ ...flags, ip: '10.0.0' }, /no IP address/],
    [{ ...flags, id: 'a~b.c' }, /node id/],
    [{ ...flags, domain: 'a~b' }, /node id/],
  ])('refuses %j', (changed, message) => {
    expect(() => identifyProxy(changed, pod)).toThrow(message);
  });
});

describe('withNodeId', () => {
  test('replaces address and domain of the compiled node id', () => {
    const bootstrap = { node: { id: 'sidecar~10.1.1.1~p.n~n.svc.cluster.local', cluster: 'c' } };
    const none = new ResourceFile();
    const files = { bootstrap, clusters: none, listeners: none, routes: new Map(), beside: new Map() };
    const identity = { name: 'p', namespace: 'n', ip: '10.0.0.1', domain: 'example.org' };
    expect(withNodeId(files, identity).bootstrap.node).toEqual({
      id: 'sidecar~10.0.0.1~p.n~example.org',
      cluster: 'c',
    });
    expect(withNodeId(files, { ...identity, ip: undefined, domain: undefined })).toBe(files);
  });
});
