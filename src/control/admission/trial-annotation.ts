/**
 * An object whose value of it is the name of a revision is refused by the webhook of that revision, whatever else it is: who
 * is refused by that knows that this webhook is asked. Those of other revisions, which are asked too, take no notice of it.
 */
export const trialAnnotation = 'mesh.io/trial-of-the-webhook';

/** What the webhook of a revision says of it. */
export function trialAnswer(revision: string): string {
  return `the webhook of the revision "${revision}" is asked, as ${trialAnnotation} wants to know`;
}
