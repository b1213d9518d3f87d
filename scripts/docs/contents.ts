/** One page of `docs/`: its file without `.md`, and one sentence for the index. */
export interface PageEntry {
  readonly name: string;
  readonly summary: string;
}

/** One folder of `docs/`, in reading order. */
export interface Part {
  readonly folder: string;
  readonly title: string;
  readonly introduction: string;
  readonly pages: readonly PageEntry[];
}

/** Pages by name, in reading order, each with its sentence for the index. */
function entriesOf(summaries: Readonly<Record<string, string>>): readonly PageEntry[] {
  return Object.entries(summaries).map(([name, summary]) => ({ name, summary }));
}

/** Every page of the documentation, in reading order; a test compares it with the files. */
export const parts: readonly Part[] = [
  {
    folder: 'guides',
    title: 'Guides',
    introduction: 'Step-by-step instructions. Start here.',
    pages: entriesOf({
      'first-mesh': 'Two services, a call through two sidecars on one machine, a policy, the call again.',
      'local-program': 'One proxy with a policy in front of a program on this machine, without root.',
      'identity-without-kubernetes': 'Start a CA, issue a token, and get a certificate for a workload.',
      'virtual-machines': 'Consul, two meshd, policies from git, DNS, and agents under systemd.',
      editors: 'Check and complete policies while you type, with the YAML language server.',
      'why-am-i-denied': 'Find the rule that denies a request, from a line of the log or a description of the request.',
      'test-policies':
        'Write tests of access policies, see what they do not cover, and fail the change that breaks one.',
      'try-a-policy': 'Find out which of the requests of an access log a changed policy would deny.',
      'when-a-call-fails': 'Find the reason of a 403, a 503 or a reset connection.',
      'from-istio': 'Kinds, fields and settings of Istio: supported or not, and what to use instead.',
      'pilot-agent-containers': 'Build an image of the agent and run it in Kubernetes pods.',
      'upgrade-with-a-canary':
        'Run two versions of meshd side by side, move namespaces between them, and upgrade or uninstall.',
      'proxies-in-front': 'Set up a gateway behind load balancers, and see which client address a rule matches.',
    }),
  },
  {
    folder: 'reference',
    title: 'Reference',
    introduction: 'Every command, setting, file and message, for looking things up.',
    pages: entriesOf({
      'meshpol-compile': 'Compile policies and topology into Envoy configuration.',
      'meshpol-explain': 'Predict whether a request is delivered, and which policies decide.',
      'meshpol-describe': 'Print what policies say about one workload, and who is let in.',
      'meshpol-test': 'Run tests of policies: requests with their expected results.',
      'meshpol-prove': 'Send requests to a real Envoy, and compare what it does with the predictions.',
      'meshpol-replay': 'Compare what logged requests would get under changed policies with what they got.',
      'meshpol-lint': 'Find mistakes in policies that compile.',
      'meshpol-rules': 'List and explain the lint rules.',
      'meshpol-inject': 'Add the proxy to pods and pod templates, or take it out.',
      'meshpol-schema': 'Print the JSON Schema of a kind.',
      'meshpol-version': 'Print the version.',
      'meshpol-completion': 'Complete command lines in bash, zsh and fish.',
      library: 'The compiler as a library for Node and browsers.',
      'pilot-agent-proxy': 'Run the Envoy of one workload: configure, start, follow changes, drain.',
      'pilot-agent-istio-iptables': 'Redirect the traffic of a network namespace to the proxy.',
      'pilot-agent-istio-clean-iptables': 'Remove the redirection that istio-iptables made.',
      'pilot-agent-request': "Send a request to Envoy's admin interface.",
      'pilot-agent-wait': 'Wait until a proxy is ready.',
      'pilot-agent-version': 'Print build information.',
      'pilot-agent-completion': 'Complete command lines in bash, zsh and fish.',
      'meshd-serve': 'Run the control plane: the CA, and configuration for proxies.',
      'meshd-dns': 'Which names meshd answers for, to whom, and how.',
      'meshd-status': 'Print whether meshd serves, to how many proxies, and errors of its inputs.',
      'meshd-proxies': 'List connected proxies, what they have acknowledged, and what they refuse.',
      'meshd-why': 'Print which objects decided the configuration of a proxy.',
      'meshd-forget': 'Remove objects that stay active although their CustomResourceDefinition was deleted.',
      'meshd-crds': 'Print the CustomResourceDefinitions of the kinds of the mesh.',
      'meshd-manifest': 'Print the objects that install the control plane in a Kubernetes cluster.',
      'meshd-version': 'Print build information.',
      'meshd-completion': 'Complete command lines in bash, zsh and fish.',
      'pilot-agent-status': 'HTTP endpoints of the agent: readiness, probes, metrics, drain and quit.',
      'pilot-agent-dns': "The agent's DNS server for the workload.",
      'pilot-agent-sts': "The agent's token exchange server for cloud credentials.",
      injection: 'Which pods get a proxy, what is added to them, and how annotations and templates change it.',
      'compiled-policies':
        'Tokens, access rules, protocols, routes, endpoints and gateways in the Envoy configuration.',
      'gateway-api': 'Gateways and routes of the Gateway API of Kubernetes: what is supported, and who serves them.',
      kinds: 'Every kind with its smallest YAML and every field.',
      'custom-resources': 'The kinds on a Kubernetes API server: installing, columns, and what the server checks.',
      'mesh-configuration': 'Every setting of the mesh configuration and of ProxyConfig, with its default.',
      bootstrap: 'What Envoy is started with, and how to change it.',
      templates: 'Replace the templates that generate Envoy configuration.',
      variables: 'Environment variables of all programs, with defaults.',
      logging: 'Log lines, scopes, levels, files and rotation.',
      'access-log': 'Settings and default formats of the log of requests and connections.',
      metrics: 'Prometheus metrics of the agent.',
      diagnostics: 'Every error and warning of the compiler, with an example.',
      'lint-rules': 'Every rule of lint, with an example that it finds and one that it does not.',
    }),
  },
  {
    folder: 'explanation',
    title: 'Explanation',
    introduction: 'How the programs work, and why.',
    pages: entriesOf({
      glossary: 'Terms, and the versions of Envoy and Istio.',
      architecture: 'Stages of the compiler, modules, and the contracts between them.',
      'life-of-a-request': 'The way of a request through two sidecars, and filter chains, as pictures.',
      'limits-of-predictions': 'What meshpol explain, describe and evaluate do not know, and what they assume.',
      'threat-model': 'What is defended against whom, and what is not.',
      identity: "Where a workload's certificate comes from, and when it is renewed.",
      'certificate-authority': 'What the CA signs, for whom, and how to change its root.',
      'pilot-agent-lifecycle': 'Start, drain, restart, PID 1 and systemd.',
      'pilot-agent-reload': 'What happens when policies change while the proxy runs, or cannot be applied.',
    }),
  },
  {
    folder: 'project',
    title: 'Project',
    introduction: 'What has been measured and tested, and what is still open.',
    pages: entriesOf({
      performance: 'Measurements, and how to repeat them.',
      conformance: 'Each kind, flag, variable and metric of the specification, with the test that shows it, or "open".',
      scenarios: 'How the agent behaves in specific situations, with the tests.',
      incidents: 'Known CVEs and bugs of other proxies, with the regression test for each.',
      attacks: 'What Envoy makes of more than 500 hostile spellings of requests.',
    }),
  },
];
