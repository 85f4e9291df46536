package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.distlock.backend.LockBackend;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.StringUtils;

/**
 * The beans of type {@link LockBackend} of one application context, found by name without
 * creating a bean. Those of an ancestor do not count: each context has its own.
 */
final class BackendBeans {

	/**
	 * Name of a bean: an application may call its own {@code etcdLockBackend}. The beans
	 * of the library have a prefix, since Spring Integration also has a
	 * {@code redisLockRegistry}.
	 */
	private static final Pattern NAME = Pattern.compile("(?:distlock)?(.+?)LockBackend");

	private BackendBeans() {
	}

	static String backendName(String id) {
		return "distlock" + StringUtils.capitalize(id) + "LockBackend";
	}

	static String registryName(String id) {
		return "distlock" + StringUtils.capitalize(id) + "LockRegistry";
	}

	/**
	 * Return the name of the backend behind a bean: {@code etcd} for
	 * {@code etcdLockBackend}, {@code redis} for {@code distlockRedisLockBackend}.
	 */
	static String idOf(String beanName) {
		Matcher name = NAME.matcher(beanName);
		return name.matches() ? StringUtils.uncapitalize(name.group(1)) : beanName;
	}

	static List<String> all(ListableBeanFactory beanFactory) {
		return List.of(beanFactory.getBeanNamesForType(LockBackend.class, true, false));
	}

	/** Return the beans that the library did not define. */
	static List<String> ofTheApplication(ListableBeanFactory beanFactory) {
		List<String> library = Arrays.stream(Backend.values()).map((backend) -> backendName(backend.id())).toList();
		return all(beanFactory).stream().filter((name) -> !library.contains(name)).toList();
	}

}
