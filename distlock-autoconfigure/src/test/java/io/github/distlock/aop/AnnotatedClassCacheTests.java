package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the start of an application searches each bean class once.
 */
class AnnotatedClassCacheTests {

	private final Counting searched = new Counting();

	@Test
	void eachClassIsSearchedOnceForThePointcutAndForTheCheck() {
		try (AnnotationConfigApplicationContext context = LockedApplication
			.of(Locked.class, LockedClass.class, Plain.class)
			.with((starting) -> starting.getBeanFactory()
				.registerSingleton(AnnotatedClassCache.class.getName(), this.searched))
			.start()) {
			context.getBean(Locked.class).run();
			assertThat(this.searched.classes)
				.contains(Locked.class, LockedClass.class, Plain.class, InMemoryLocks.class)
				.doesNotHaveDuplicates();
		}
	}

	@Test
	void theResultIsThatOfASearchOfAllMethods() {
		AnnotatedClassCache classes = new AnnotatedClassCache();
		assertThat(classes.isLocked(Locked.class)).isTrue();
		assertThat(classes.isLocked(LockedClass.class)).isTrue();
		assertThat(classes.isLocked(Plain.class)).isFalse();
		assertThat(classes.isLocked(NothingPublic.class)).isFalse();
		assertThat(classes.isLocked(String.class)).isFalse();
	}

	static class Counting extends AnnotatedClassCache {

		final List<Class<?>> classes = Collections.synchronizedList(new ArrayList<>());

		@Override
		boolean search(Class<?> beanClass) {
			this.classes.add(beanClass);
			return super.search(beanClass);
		}

	}

	static class Locked {

		@DistributedLock
		public void run() {
		}

	}

	@DistributedLock
	static class LockedClass {

		public void run() {
		}

	}

	@DistributedLock
	static class NothingPublic {

		void run() {
		}

	}

	static class Plain {

		public void one() {
		}

		public void two() {
		}

	}

}
