import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { ownVariables } from '../../src/config/own-variables.ts';
import { variables } from '../../src/config/variables.ts';
import { imageNames } from './images.ts';
import { playedPod } from './played-pod.ts';
import { type Container, deployFolder, type PodManifest, readManifest, readPod } from './pod-manifest.ts';
import { withAuthority } from './with-authority.ts';

const schema = JSON.parse(readFileSync(new URL('./kubernetes-schema.json', import.meta.url), 'utf8')) as object;
const isValid = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
const faultsOf = (object: unknown): string[] =>
  isValid(object) ? [] : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

const ordinary = readPod('pod.yaml');
const native = readPod('pod-native-sidecar.yaml');
const containersOf = ({ spec }: PodManifest): readonly Container[] => [...spec.initContainers, ...spec.containers];
const proxyOf = (pod: PodManifest): Container => containersOf(pod).find(({ name }) => name === 'mesh-proxy')!;

describe('the manifests of deploy', () => {
  test.each(['mesh.yaml', 'pod.yaml', 'pod-native-sidecar.yaml'])('%s is what Kubernetes publishes', (file) => {
    expect(readManifest(file).flatMap(faultsOf)).toEqual([]);
  });

  test('stay so with a certificate from meshd', () => {
    const pod = withAuthority(native);
    expect(faultsOf(pod)).toEqual([]);
    expect(pod.spec.volumes).toHaveLength(native.spec.volumes.length + 1);
    expect(proxyOf(pod).env?.map(({ name }) => name)).toEqual(expect.arrayContaining(['CA_ADDR']));
  });

  test('are held to every field: an unknown one is a fault', () => {
    const [first, ...others] = ordinary.spec.containers;
    const spec = { ...ordinary.spec, containers: [{ ...first, image: 1, imagePullpolicy: 'Never' }, ...others] };
    expect(faultsOf({ ...ordinary, spec })).toEqual(
      expect.arrayContaining([
        '/spec/containers/0 must NOT have additional properties',
        '/spec/containers/0/image must be string',
      ]),
    );
  });

  test('give the native sidecar nothing but another place, and the start without a hook', () => {
    const { restartPolicy, ...rest } = proxyOf(native);
    const { lifecycle, ...ordinaryRest } = proxyOf(ordinary);
    expect(restartPolicy).toBe('Always');
    expect(rest).toEqual({ ...ordinaryRest, lifecycle: { preStop: lifecycle?.preStop } });
    const placement = { podIp: '10.0.0.1', hostIp: '10.0.0.2', volumes: '/volumes' };
    const played = (pod: PodManifest): object => {
      const { spec, ...others } = playedPod(pod, placement);
      return { ...others, spec: { ...spec, containers: spec.containers.map(({ name }) => name) } };
    };
    expect(played(native)).toEqual(played(ordinary));
    expect(native.spec.initContainers.map(({ name }) => name)).toEqual(['mesh-init', 'mesh-proxy']);
  });

  test('name the images that are built', () => {
    const images = new Set(containersOf(ordinary).map(({ image }) => image));
    expect([...images].sort()).toEqual([imageNames.agent, imageNames.application]);
    const file = readFileSync(`${deployFolder}/Containerfile`, 'utf8');
    expect([...file.matchAll(/^ARG \w+=(\S+)$/gm)].map(([, image]) => image)).toEqual([
      imageNames.node,
      imageNames.envoy,
    ]);
  });

  test('set no variable that the agent does not read', () => {
    const known = new Set(
      [...variables, ...ownVariables].filter(({ owner }) => owner !== 'control-plane').map(({ name }) => name),
    );
    const set = (proxyOf(ordinary).env ?? []).map(({ name }) => name);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
  });

  test('say the same grace period to Kubernetes and to the agent', () => {
    const value = proxyOf(ordinary).env?.find(({ name }) => name === 'TERMINATION_GRACE_PERIOD_SECONDS')?.value;
    expect(Number(value)).toBe(ordinary.spec.terminationGracePeriodSeconds);
  });
});
