package io.github.distlock.docs;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The configuration of Spring Security in a page, as a class.
 */
final class SecurityExample {

	private static final Pattern BLOCK = Pattern
		.compile("(?s)```java\\n((?:(?!```).)*class SecurityConfiguration .*?)```");

	private SecurityExample() {
	}

	static Class<?> compile(String page, Path folder) throws IOException, ReflectiveOperationException {
		Matcher block = BLOCK.matcher(page);
		assertThat(block.find()).isTrue();
		Path source = Files.writeString(folder.resolve("SecurityConfiguration.java"),
				"package com.example;\n" + block.group(1));
		int errors = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-proc:none", "-d", folder.toString(), "-classpath",
					System.getProperty("java.class.path", ""), source.toString());
		assertThat(errors).isZero();
		// Its classes are loaded as long as the application runs.
		URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
				SecurityExample.class.getClassLoader());
		return loader.loadClass("com.example.SecurityConfiguration");
	}

}
