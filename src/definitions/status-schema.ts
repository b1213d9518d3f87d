import type { StructuralSchema } from './structural-schema.ts';

const text = (description: string): StructuralSchema => ({ type: 'string', description });
const generation = (description: string): StructuralSchema => ({ type: 'integer', format: 'int64', description });

const condition: StructuralSchema = {
  type: 'object',
  description: 'A condition.',
  properties: {
    type: text('Name, such as Accepted or Distributed.'),
    status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: 'Whether the condition holds.' },
    reason: text('Why, in one word for programs.'),
    message: text('Why, for people.'),
    observedGeneration: generation('Generation of the object that the condition is about.'),
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the status of the condition changed.',
    },
    lastProbeTime: { type: 'string', format: 'date-time', nullable: true, description: 'When it was last looked at.' },
  },
  required: ['type', 'status'],
};

/** Schema of an object's status. A writer of one condition leaves the conditions of others as they are. */
export const statusSchema: StructuralSchema = {
  type: 'object',
  description: 'What control planes say of the object.',
  properties: {
    observedGeneration: generation('Latest generation of the object that was looked at.'),
    conditions: {
      type: 'array',
      nullable: true,
      description: 'Conditions, one of a type.',
      items: condition,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    validationMessages: {
      type: 'array',
      nullable: true,
      description: 'What was found in the object, and in the mesh because of it.',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      'x-kubernetes-list-type': 'atomic',
    },
  },
};
