package io.github.distlock.benchmarks.catalogue;

import java.io.File;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.distlock.LockRegistry;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.UnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * An earlier version of distlock beside the current one, with the same application, and
 * in a JVM of its own for rates. A class loader of its own has the earlier library in
 * place of the current one, and copies of all that uses it; only what a {@link Locks} is
 * made of is shared.
 */
public final class PreviousVersion {

	private static final String SUFFIX = "-previous";

	/** System property with the jar or the class folder of the earlier version. */
	public static final String PROPERTY = "benchmarks.previous";

	private static final Set<String> SHARED = Set.of(Locks.class.getName(), Held.class.getName(),
			RedisAddress.class.getName(), StoreAddress.class.getName(), StoreAddress.Kind.class.getName(),
			UnavailableException.class.getName());

	private static @Nullable ClassLoader loader;

	private PreviousVersion() {
	}

	/**
	 * Return what the earlier version of a contender is called.
	 * @param contender a contender of distlock
	 * @return its name
	 */
	public static String id(String contender) {
		return contender + SUFFIX;
	}

	/**
	 * Return whether a contender is of the earlier version.
	 * @param id the name of the contender
	 * @return whether it is
	 */
	public static boolean isPrevious(String id) {
		return id.endsWith(SUFFIX);
	}

	static String current(String id) {
		return id.substring(0, id.length() - SUFFIX.length());
	}

	/**
	 * Return the earlier version of a contender. It is none of {@link Contenders#all()},
	 * since there is only one if an earlier version is given.
	 * @param contender a contender of distlock
	 * @return the earlier version
	 */
	public static Contender of(Contender contender) {
		return new Contender(id(contender.id()), contender.description() + " (--previous)", contender.stores(),
				contender.abilities(), (client) -> open(contender.id(), client));
	}

	/**
	 * Return a contender and what takes part with it if there is an earlier version.
	 * @param contender one that takes part
	 * @return the contender, and its earlier version if it is one of distlock
	 */
	public static Stream<Contender> beside(Contender contender) {
		return contender.id().startsWith("distlock") ? Stream.of(contender, of(contender)) : Stream.of(contender);
	}

	private static Locks open(String current, Client client) {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		ClassLoader loader = loader();
		thread.setContextClassLoader(loader);
		try {
			Class<?> clientType = loader.loadClass(Client.class.getName());
			AutoCloseable itsClient = client.resource(AutoCloseable.class, "previous",
					() -> (AutoCloseable) create(clientType, client.store()));
			Object contender = loader.loadClass(Contenders.class.getName())
				.getMethod("named", String.class)
				.invoke(null, current);
			return (Locks) contender.getClass().getMethod("open", clientType).invoke(contender, itsClient);
		}
		catch (InvocationTargetException ex) {
			if (ex.getCause() instanceof UnavailableException unavailable) {
				throw unavailable;
			}
			throw new IllegalStateException("The earlier version cannot be opened: " + ex.getCause(), ex);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("The earlier version cannot be opened: " + ex, ex);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static Object create(Class<?> clientType, StoreAddress store) {
		try {
			return clientType.getConstructor(StoreAddress.class).newInstance(store);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * One for all clients, as the current version has one. Workers open one contender at
	 * a time.
	 */
	private static ClassLoader loader() {
		ClassLoader known = loader;
		if (known == null) {
			known = new PreviousClassLoader(classPath());
			loader = known;
		}
		return known;
	}

	private static URL[] classPath() {
		String previous = System.getProperty(PROPERTY);
		if (previous == null) {
			throw new UnavailableException("--previous names no jar of an earlier version");
		}
		CodeSource current = LockRegistry.class.getProtectionDomain().getCodeSource();
		List<URL> urls = new ArrayList<>();
		urls.add(url(Path.of(previous)));
		for (String entry : System.getProperty("java.class.path", "").split(File.pathSeparator)) {
			URL url = url(Path.of(entry));
			if (Files.exists(Path.of(entry)) && !url.equals(current.getLocation())) {
				urls.add(url);
			}
		}
		return urls.toArray(URL[]::new);
	}

	private static URL url(Path path) {
		try {
			return path.toAbsolutePath().toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static final class PreviousClassLoader extends URLClassLoader {

		PreviousClassLoader(URL[] classPath) {
			super("previous", classPath, ClassLoader.getPlatformClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			return SHARED.contains(name) ? Class.forName(name, false, PreviousVersion.class.getClassLoader())
					: super.loadClass(name, resolve);
		}

	}

}
