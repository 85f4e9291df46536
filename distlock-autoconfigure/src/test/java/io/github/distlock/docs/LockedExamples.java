package io.github.distlock.docs;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.test.AutoConfigureTestLocks;

import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.MapPropertySource;
import org.springframework.objenesis.SpringObjenesis;

/**
 * Starts an application whose beans are the classes of examples with locks. The startup
 * checks their annotations. No constructor runs.
 */
final class LockedExamples {

	private static final Map<String, Object> PROPERTIES = Map.of("distlock.backend", "redis",
			"distlock.zookeeper.enabled", "true", "distlock.jdbc.enabled", "true", "distlock.local.enabled", "true",
			"distlock.composite", "redis, zookeeper");

	private LockedExamples() {
	}

	/**
	 * Start an application for each folder of classes. Returns the number of classes with
	 * locks.
	 */
	static int start(Path classes) throws IOException {
		int found = 0;
		try (Stream<Path> folders = Files.list(classes)) {
			for (Path folder : folders.sorted().toList()) {
				found += startOne(folder);
			}
		}
		return found;
	}

	private static int startOne(Path folder) throws IOException {
		PageCode code = PageCode.load(folder);
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			List<Class<?>> locked = code.types()
				.stream()
				.filter((type) -> !type.isInterface() && !Modifier.isAbstract(type.getModifiers()) && isLocked(type))
				.toList();
			context.setClassLoader(code.loader());
			context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("page", PROPERTIES));
			context.register(Application.class);
			for (Class<?> type : locked) {
				RootBeanDefinition definition = new RootBeanDefinition(type);
				definition.setInstanceSupplier(() -> new SpringObjenesis().newInstance(type));
				context.registerBeanDefinition(type.getName(), definition);
			}
			context.refresh();
			return locked.size();
		}
	}

	private static boolean isLocked(Class<?> type) {
		return AnnotatedElementUtils.hasAnnotation(type, DistributedLock.class)
				|| Arrays.stream(type.getDeclaredMethods())
					.anyMatch((method) -> !method.isSynthetic()
							&& MergedAnnotations.from(method, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
								.isPresent(DistributedLock.class));
	}

	/** The application. */
	@AutoConfigureTestLocks
	static class Application {

	}

}
