package io.github.distlock.testing;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

import org.springframework.util.function.ThrowingSupplier;

/** The class path of an application without certain jars. */
public final class WithoutJars {

	private WithoutJars() {
	}

	/**
	 * Run a program without some jars, given by parts of their names, whichever class
	 * refers to their classes. The program is a public class with a public constructor,
	 * which is loaded again.
	 */
	public static void run(Class<? extends Runnable> program, String... missing) throws Exception {
		URL[] rest = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> Arrays.stream(missing).noneMatch(entry::contains))
			.map((entry) -> ThrowingSupplier.of(() -> new File(entry).toURI().toURL()).get())
			.toArray(URL[]::new);
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(rest, ClassLoader.getPlatformClassLoader())) {
			Runnable copy = (Runnable) loader.loadClass(program.getName()).getConstructor().newInstance();
			Thread.currentThread().setContextClassLoader(loader);
			copy.run();
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

}
