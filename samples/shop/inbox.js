const NOTES = [
  'Asked for the order number.',
  'Thanked them.',
  'Forwarded to logistics.',
  'Known problem, fixed with the next release.',
];

/** What the team has done with feedback so far: the newest is unread, older entries are seen or done. */
export async function readFeedback(editor) {
  const { feedback } = await editor.request('GET', '/v1/feedback?propertyId=shop&limit=120');
  const old = feedback.slice(25);
  for (const [i, { id, message }] of old.entries()) {
    const status = i % 3 === 0 ? 'done' : 'seen';
    const notes = message !== null && i % 2 === 0 ? NOTES[i % NOTES.length] : null;
    await editor.request('PATCH', `feedback/${id}`, { status, notes });
  }
}
