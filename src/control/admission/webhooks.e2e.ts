import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorsOf, fixtureObjects } from '../../definitions/testing/fixture-objects.ts';
import { Verdicts } from '../../definitions/testing/verdicts.ts';
import { manifestText } from '../../install/manifest.ts';
import { eventually } from '../../testing/eventually.ts';
import { freePorts } from '../../testing/free-ports.ts';
import { applyInstallation, usualInstallation } from '../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { defineInBothGroups } from '../../testing/kubernetes/definitions.ts';
import { adminKubectl, type Kubectl } from '../../testing/kubernetes/kubectl.ts';
import { ReplicaProcess } from '../testing/replica-processes.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const merge = 'application/strategic-merge-patch+json';
const policies = '/apis/security.mesh.io/v1/namespaces/default/peerauthentications';
const policy = (name: string, mode = 'STRICT') => ({
  ...{ apiVersion: 'security.mesh.io/v1', kind: 'PeerAuthentication', metadata: { name, namespace: 'default' } },
  spec: { mtls: { mode } },
});
/** Its definition lets the first key pass; `meshd` does not. */
const unclear = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: unclear, namespace: default}
spec: {rules: [{from: [{source: {requestPrincipals: ["https://a.example/ten*"]}}]}]}
`;

describe('the validation webhook of meshd, asked by a real API server', () => {
  let cluster: Cluster;
  let meshd: ReplicaProcess;
  let kubectl: Kubectl;
  let port = 0;

  beforeAll(async () => {
    cluster = await startCluster();
    await applyInstallation(cluster);
    await defineInBothGroups(cluster);
    kubectl = await adminKubectl(cluster);
    const [secure = 0, monitoring = 0, webhook = 0] = await freePorts(3);
    port = webhook;
    meshd = new ReplicaProcess({
      ...{ folder: join(cluster.folder, 'meshd'), ports: { secure, monitoring } },
      kubeconfig: cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd')),
      environment: { MESHD_CUSTOM_HOST: '127.0.0.1' },
      flags: ['--webhookAddr', `127.0.0.1:${webhook}`],
    });
    await meshd.start();
    await applyInstallation(cluster, ['validation']);
    await reach(`https://127.0.0.1:${port}/validate`);
  });
  afterAll(async () => {
    await meshd?.end('SIGKILL');
    await cluster?.close();
  });

  /** No service leads to a process beside the cluster. */
  const reach = (url: string, validator = 'mesh-validator') =>
    cluster.api.must(
      'PATCH',
      `${configurations}/${validator}`,
      { webhooks: [{ name: 'validation.mesh.io', clientConfig: { url, service: null } }] },
      merge,
    );
  const webhook = async (validator = 'mesh-validator') =>
    (await cluster.api.must('GET', `${configurations}/${validator}`)).webhooks[0];
  const untilItFails = () => eventually(async () => expect(await webhook()).toMatchObject({ failurePolicy: 'Fail' }));

  test('is made to count by meshd itself: with its roots, and with Fail once the API server has asked it', async () => {
    await untilItFails();
    const { clientConfig, rules, timeoutSeconds } = await webhook();
    expect(atob(clientConfig.caBundle)).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect([rules.length, timeoutSeconds]).toEqual([3, 5]);
    expect((await cluster.api.must('GET', '/apis/networking.mesh.io/v1/workloadgroups')).items).toEqual([]);
  });

  test('has kubectl show what is wrong, and what to do', async () => {
    await untilItFails();
    await expect(kubectl(['apply', '-f', '-'], unclear)).rejects.toThrow(
      /admission webhook "validation\.mesh\.io" denied the request: spec\.rules\[0\]\.from\[0\]\.source\.requestPrincipals\[0\]: .*\[ambiguous-request-principal\]; /,
    );
    await expect(kubectl(['get', 'authorizationpolicy', 'unclear', '-n', 'default'])).rejects.toThrow(/NotFound/);
  });

  test('lets each object of fixtures/ok in, and refuses of fixtures/err what definitions leave', async () => {
    await untilItFails();
    const verdicts = new Verdicts(cluster);
    const sound = fixtureObjects('fixtures/ok');
    const answers = await Promise.all(
      sound.map(async (object) => [object.fixture, await verdicts.of(object)] as const),
    );
    // Without PILOT_ENABLED_SERVICE_APIS `meshd` reads no Gateways that policies could be bound to.
    expect(answers.filter(([, fields]) => fields.length > 0)).toEqual([
      ['standard-policies', ['spec.targetRefs']],
      ['standard-policies', ['spec.targetRef']],
      ['standard-policies', ['spec.targetRefs']],
    ]);
    const { left } = JSON.parse(readFileSync('fixtures/server-checks.json', 'utf8')) as { readonly left: object };
    const stored: string[] = [];
    for (const object of fixtureObjects('fixtures/err')) {
      const errors = await errorsOf(object.value);
      if (errors.length > 0 && (await verdicts.of(object)).length === 0) stored.push(object.fixture);
    }
    expect(Object.keys(left).length).toBeGreaterThan(50);
    expect(stored).toEqual([]);
  });

  test('restores its roots and Fail where somebody has changed them', async () => {
    await untilItFails();
    const { clientConfig } = await webhook();
    const broken = { clientConfig: { caBundle: btoa('nobody') }, failurePolicy: 'Ignore' };
    await cluster.api.must(
      'PATCH',
      `${configurations}/mesh-validator`,
      { webhooks: [{ name: 'validation.mesh.io', ...broken }] },
      merge,
    );
    await eventually(async () => expect((await webhook()).clientConfig).toEqual(clientConfig));
    await untilItFails();
  });

  test('of a canary that cannot be reached stays Ignore beside that of the default revision, and refuses nothing', async () => {
    await untilItFails();
    const revision = 'canary';
    await kubectl(['apply', '-f', '-'], manifestText({ ...usualInstallation, revision }, ['rights', 'validation']));
    const own = ['--validationWebhook', 'mesh-validator-canary'];
    const [secure = 0, monitoring = 0, asked = 0, nobody = 0] = await freePorts(4);
    await reach(`https://127.0.0.1:${nobody}/validate`, 'mesh-validator-canary');
    const canary = new ReplicaProcess({
      ...{ folder: join(cluster.folder, revision), ports: { secure, monitoring } },
      kubeconfig: cluster.kubeconfig(revision, await cluster.accountToken('mesh-system', 'meshd-canary')),
      environment: { MESHD_CUSTOM_HOST: '127.0.0.1', INJECTION_WEBHOOK_CONFIG_NAME: '' },
      flags: [
        '--webhookAddr',
        `127.0.0.1:${asked}`,
        '--revision',
        revision,
        ...own,
        '--log_output_level',
        'default:debug',
      ],
    });
    try {
      await canary.start();
      const unproven = /does not ask the validating webhook yet/g;
      await eventually(() => expect([...canary.output.matchAll(unproven)].length).toBeGreaterThan(1));
      expect(await webhook('mesh-validator-canary')).toMatchObject({
        ...{ failurePolicy: 'Ignore', clientConfig: { caBundle: expect.any(String) } },
      });
      expect((await cluster.api.ask('POST', `${policies}?dryRun=All`, policy('beside'))).status).toBe(201);
      await expect(kubectl(['apply', '-f', '-'], unclear)).rejects.toThrow(/ambiguous-request-principal/);
      await reach(`https://127.0.0.1:${asked}/validate`, 'mesh-validator-canary');
      await eventually(async () => {
        expect(await webhook('mesh-validator-canary')).toMatchObject({ failurePolicy: 'Fail' });
      });
    } finally {
      await canary.end('SIGKILL');
      await cluster.api.must('DELETE', `${configurations}/mesh-validator-canary`);
      // Until the server has heard of that, it asks the canary.
      await eventually(async () => {
        expect((await cluster.api.ask('POST', `${policies}?dryRun=All`, policy('beside'))).status).toBe(201);
      });
    }
  });

  test('answers many at once, each about its own object', async () => {
    await untilItFails();
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const spec =
          i % 2 === 0 ? {} : { selector: { matchLabels: { app: 'a' } }, portLevelMtls: { [i]: { mode: 'STRICT' } } };
        const object = { ...policy(`many-${i}`), spec: { ...spec, mtls: { mode: 'STRICT' } } };
        return (await cluster.api.ask('POST', `${policies}?dryRun=All`, object)).status;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([201]));
  });

  test('is missed: while meshd is stopped, or gone, or shows another certificate, nothing is stored unseen', async () => {
    await untilItFails();
    const denied = async (query = ''): Promise<string> => {
      const { status, body } = await cluster.api.ask('POST', `${policies}${query}`, policy('unseen'));
      expect(status).toBe(500);
      return body.message;
    };
    meshd.signal('SIGSTOP');
    try {
      expect(await denied()).toMatch(/failed calling webhook "validation\.mesh\.io": .*(deadline|timeout|Timeout)/);
    } finally {
      meshd.signal('SIGCONT');
    }
    await reach(`https://127.0.0.1:${cluster.port}/validate`);
    // Until the server knows of the other address, meshd answers, and lets it in.
    await eventually(async () => expect(await denied('?dryRun=All')).toMatch(/x509|certificate/));
    expect(await denied()).toMatch(/x509|certificate/);
    await reach(`https://127.0.0.1:${port}/validate`);
    await eventually(async () => {
      expect((await cluster.api.ask('POST', `${policies}?dryRun=All`, policy('seen'))).status).toBe(201);
    });
    await meshd.end('SIGTERM');
    expect(await denied()).toMatch(/failed calling webhook "validation\.mesh\.io": .*connection refused/);
    expect((await cluster.api.ask('GET', `${policies}/unseen`)).status).toBe(404);
  });
});
