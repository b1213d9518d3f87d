import { type ManifestTexts, manifestOrder, partText } from './manifest.ts';

/** A file of a Helm chart. */
export interface ChartFile {
  /** Below the folder of the chart. */
  readonly path: string;
  readonly text: string;
}

/** Expressions of Helm in place of the settings of a manifest. */
const expressions: ManifestTexts = {
  namespace: '{{ .Release.Namespace }}',
  revision: '{{ .Values.revision }}',
  image: '{{ .Values.image }}',
  replicas: '{{ .Values.replicas }}',
  meshConfig: '{{- .Values.meshConfig | trimSuffix "\\n" | nindent 4 }}',
  name: '{{ include "meshd.name" . }}',
  clusterName: '{{ include "meshd.name" . }}-{{ .Release.Namespace }}',
  settings: 'mesh{{ include "meshd.suffix" . }}',
  validator: 'mesh-validator{{ include "meshd.suffix" . }}',
  injector: 'mesh-sidecar-injector{{ include "meshd.suffix" . }}',
};

const helpers = `{{- define "meshd.suffix" -}}
{{- if ne .Values.revision "default" }}-{{ .Values.revision }}{{ end }}
{{- end }}
{{- define "meshd.name" -}}
meshd{{ include "meshd.suffix" . }}
{{- end }}
`;

export interface ChartSettings {
  readonly version: string;
  readonly image: string;
  readonly replicas: number;
  readonly revision: string;
  readonly meshConfig: string;
  /** The definitions of kinds, one text a kind, by the names of their files. */
  readonly definitions: Readonly<Record<string, string>>;
}

/** The manifest as a chart, whose settings are values; the namespace is that of the release, which Helm makes itself. */
export function chartFiles(settings: ChartSettings): readonly ChartFile[] {
  const { version, definitions } = settings;
  const templates = manifestOrder
    .filter((part) => part !== 'namespace')
    .map((part) => ({ path: `templates/${part}.yaml`, text: withConditions(partText(part, expressions)) }));
  return [
    { path: 'Chart.yaml', text: chart(version) },
    { path: 'values.yaml', text: values(settings) },
    { path: 'templates/_names.tpl', text: helpers },
    ...templates,
    ...Object.entries(definitions).map(([name, text]) => ({ path: `crds/${name}.yaml`, text })),
  ];
}

function withConditions(text: string): string {
  return text
    .replaceAll(/^#if default$/gm, '{{- if eq .Values.revision "default" }}')
    .replaceAll(/^#end$/gm, '{{- end }}');
}

function chart(version: string): string {
  return `apiVersion: v2
name: meshd
description: The control plane of the mesh
type: application
version: ${version}
appVersion: ${version}
kubeVersion: ">=1.30.0-0"
`;
}

function values({ image, replicas, revision, meshConfig }: ChartSettings): string {
  return `# Image of a container with meshd.
image: ${image}
replicas: ${replicas}
# A name for a control plane beside another one; namespaces and pods choose it with the label mesh.io/rev.
revision: ${revision}
# The mesh configuration.
meshConfig: |2
${meshConfig.trimEnd().replaceAll(/^/gm, '  ')}
`;
}
