import type { MeshObject } from './object.ts';
import type { TemplateHolder } from './topology-kinds.ts';

/** An object of a kind that is not read, as evidence of what a mesh has beside the objects that are. */
export interface UnreadObject extends MeshObject<string> {
  /** What it has pods made of, where it has a pod template and nothing else of the input controls it. */
  readonly template: TemplateHolder['spec']['template'] | undefined;
  /** Namespaces in which it may have pods and services made that the input does not show. */
  readonly mayFill: readonly string[];
}

/** Kinds whose pod template is not at `spec.template`, with its place. */
const templatePaths: Readonly<Record<string, readonly string[]>> = {
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
  ScaledJob: ['spec', 'jobTargetRef', 'template'],
};

/** Where an object that makes pods has their template. */
export function templatePath(kind: string): readonly string[] {
  return Object.hasOwn(templatePaths, kind) ? (templatePaths[kind] as readonly string[]) : ['spec', 'template'];
}
