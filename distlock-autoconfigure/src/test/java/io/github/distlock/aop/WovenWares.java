package io.github.distlock.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.DistributedLock;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/**
 * Methods that no proxy can lock: a final class that calls itself.
 */
final class WovenWares {

	private final InMemoryLocks locks;

	WovenWares(InMemoryLocks locks) {
		this.locks = locks;
	}

	void callsItself(String id) {
		deduct(id);
	}

	void callsPrivate(String id) {
		hidden(id);
	}

	@DistributedLock("'public-' + #id")
	public String deduct(String id) {
		this.locks.events.add("run");
		return "done";
	}

	@DistributedLock("'private-' + #id")
	private void hidden(String id) {
		this.locks.events.add("run");
	}

	@DistributedLock("'stage-' + #id")
	CompletableFuture<String> stage(String id) {
		return CompletableFuture.supplyAsync(() -> {
			this.locks.events.add("run");
			return "done";
		});
	}

	@DistributedLock("'mono-' + #id")
	Mono<String> mono(String id) {
		this.locks.events.add("call");
		return Mono.fromSupplier(() -> {
			this.locks.events.add("run");
			return "done";
		});
	}

	@Counted
	final void composed() {
		this.locks.events.add("run");
	}

	@DistributedLock("'throwing'")
	void failing() {
		this.locks.events.add("run");
		throw new IllegalArgumentException("of the method");
	}

	@DistributedLock("'static-' + #id")
	static void count(InMemoryLocks locks, String id) {
		locks.events.add("run");
	}

	/**
	 * An annotation of the application's own.
	 */
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("'composed'")
	@interface Counted {

	}

	/**
	 * AspectJ does not find this annotation, because it is not on the method.
	 */
	interface Annotated {

		@DistributedLock("'interface'")
		void method();

	}

	/**
	 * Its method has no annotation of its own.
	 */
	static class OfInterface implements Annotated {

		@Override
		public void method() {
		}

	}

	/**
	 * The weaver finds this annotation, because it is on the interface itself.
	 */
	@DistributedLock("'whole-interface'")
	interface AnnotatedType {

		void method();

	}

	/**
	 * Its class has no annotation of its own.
	 */
	static class OfAnnotatedType implements AnnotatedType {

		private final InMemoryLocks locks;

		OfAnnotatedType(InMemoryLocks locks) {
			this.locks = locks;
		}

		@Override
		public void method() {
			this.locks.events.add("run");
		}

	}

	/**
	 * Inherits the annotation of its super class.
	 */
	static class Part extends Whole {

		Part(InMemoryLocks locks) {
			super(locks);
		}

		@Override
		public void one() {
			super.notPublic();
		}

		public void own() {
			super.notPublic();
		}

	}

	/**
	 * Has a transaction by a proxy.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class InTransaction {

		@DistributedLock("'transaction'")
		@Transactional
		public void method() {
		}

	}

	/**
	 * Locked as a whole.
	 */
	@DistributedLock("'whole'")
	static class Whole {

		private final InMemoryLocks locks;

		Whole(InMemoryLocks locks) {
			this.locks = locks;
		}

		public void one() {
			this.locks.events.add("run");
			notPublic();
		}

		void notPublic() {
			this.locks.events.add("run");
		}

	}

}
