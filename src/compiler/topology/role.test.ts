import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../policy/topology-kinds.ts';
import { acceptsMeshTls, roleOfPod } from './role.ts';

const proxy = (...args: string[]): PodSpec => ({ containers: [{ name: 'app' }, { name: 'mesh-proxy', args }] });
const injected = { 'mesh-injection': 'enabled' };
const inject = 'sidecar.mesh.io/inject';
const none = {};

describe('roleOfPod', () => {
  test.each([
    ['plain namespace', none, none, none, none, 'none'],
    ['injected namespace', injected, none, none, none, 'sidecar'],
    ['label against injection', injected, { [inject]: 'false' }, none, none, 'none'],
    ['annotation against injection', injected, none, { [inject]: 'false' }, none, 'none'],
    ['label for injection', none, { [inject]: 'true' }, none, none, 'sidecar'],
    ['label beats annotation', none, { [inject]: 'true' }, { [inject]: 'false' }, none, 'sidecar'],
    ['node network', injected, none, none, { hostNetwork: true }, 'none'],
    ['proxy container', none, none, none, proxy('proxy', 'sidecar'), 'sidecar'],
    ['proxy as init container', none, none, none, { initContainers: [{ name: 'mesh-proxy' }] }, 'sidecar'],
    ['router container', injected, none, none, proxy('proxy', 'router', '--domain', 'x'), 'router'],
    ['label tlsMode', none, { 'security.mesh.io/tlsMode': 'mesh' }, none, none, 'sidecar'],
  ] as const)('%s', (_, namespaceLabels, labels, annotations, spec, expected) => {
    expect(roleOfPod({ namespaceLabels, labels, annotations, spec })).toBe(expected);
  });
});

describe('acceptsMeshTls', () => {
  test.each([
    [none, 'sidecar', true],
    [none, 'none', false],
    [none, 'router', false],
    [{ 'security.mesh.io/tlsMode': 'disabled' }, 'sidecar', false],
    [{ 'security.mesh.io/tlsMode': 'mesh' }, 'none', true],
  ] as const)('labels %j with role %s: %s', (labels, role, expected) => {
    expect(acceptsMeshTls(labels, role)).toBe(expected);
  });
});
