// Runs the bundle that is named by the first argument on a worker thread.
require('./load-bundle.cjs').loadBundle(process.argv[2]);
