package io.github.distlock.waiting;

/**
 * The same with a store that does not block: the threads that have events send commands.
 */
class ErrorRecoveryWithoutBlockingTests extends ErrorRecoveryTests {

	@Override
	void prepare(ErrorInjector injector) {
		injector.answerWithoutBlocking();
	}

}
