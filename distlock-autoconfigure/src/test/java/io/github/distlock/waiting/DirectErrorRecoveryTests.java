package io.github.distlock.waiting;

/**
 * The same with a store whose uncontended locks need no command, so that an error can end
 * an event of the queue.
 */
class DirectErrorRecoveryTests extends ErrorRecoveryTests {

	@Override
	void prepare(ErrorInjector injector) {
		injector.answerDirectly();
	}

	/** Not a test: no command is sent here, so nothing fails before it. */
	@Override
	void aReleaseInTheBackgroundThatFailsBeforeItIsSentDoesNotCountAsUnanswered() {
	}

}
