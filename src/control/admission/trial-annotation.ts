/** An object with it is refused, whatever else it is: who is refused by that knows that the webhook is asked. */
export const trialAnnotation = 'mesh.io/trial-of-the-webhook';
