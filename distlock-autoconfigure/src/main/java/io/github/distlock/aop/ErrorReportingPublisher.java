package io.github.distlock.aop;

import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Begins the work of a subscription. Reactor throws an error of the JVM, such as a
 * {@code NoClassDefFoundError} or a {@code StackOverflowError}, at the code that has
 * subscribed, and tells the subscriber nothing. Its locks would stay held, and the caller
 * would wait, until the JVM ends. Here the subscriber gets the error.
 *
 * @param work the work
 * @param begun called when the subscription has returned
 */
record ErrorReportingPublisher(Publisher<Object> work, Runnable begun) implements Publisher<Object> {

	@Override
	public void subscribe(Subscriber<? super Object> subscriber) {
		Recipient recipient = new Recipient(Operators.toCoreSubscriber(subscriber));
		try {
			this.work.subscribe(recipient);
		}
		catch (Throwable ex) {
			recipient.failed(ex);
		}
		finally {
			this.begun.run();
		}
	}

	/** Knows what the subscriber has been told. */
	private static final class Recipient implements CoreSubscriber<Object> {

		private final CoreSubscriber<? super Object> subscriber;

		private volatile boolean subscribed;

		private volatile boolean ended;

		Recipient(CoreSubscriber<? super Object> subscriber) {
			this.subscriber = subscriber;
		}

		@Override
		public Context currentContext() {
			return this.subscriber.currentContext();
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			this.subscribed = true;
			this.subscriber.onSubscribe(subscription);
		}

		@Override
		public void onNext(Object element) {
			this.subscriber.onNext(element);
		}

		@Override
		public void onError(Throwable problem) {
			this.ended = true;
			this.subscriber.onError(problem);
		}

		@Override
		public void onComplete() {
			this.ended = true;
			this.subscriber.onComplete();
		}

		void failed(Throwable problem) {
			if (!this.subscribed) {
				Operators.error(this.subscriber, problem);
			}
			else if (!this.ended) {
				onError(problem);
			}
			else {
				Operators.onErrorDropped(problem, currentContext());
			}
		}

	}

}
